"""Every packing yields exactly the text, in the same order, and nothing is extracted to disk."""

import gzip
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.helpers import COMPRESS, PACK, tarred, zipped

from rankduel.base.errors import DataError
from rankduel.letor_data.packed.archive import Source, find_files, find_sources, read_all, read_pieces

TEXT = b"2 qid:1 1:0.5 2:3 # first\n0 qid:1 1:0.25\n1 qid:2 2:-7\n"
LIES = ["x", "x.txt", "x.dat", "X.GZ", "x.bz2", "x.xz", "x.tar.notes"]


def contents(argument):
    return [
        (source.member or source.path.name, b"".join(pieces))
        for source, pieces in read_pieces(find_sources(argument))
    ]


def splits(argument):
    return [source.split for source in find_sources(argument)]


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, content=TEXT):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return write


# --- one text


@pytest.mark.parametrize("name", ["x", "x.txt", "x.letor", "no suffix at all"])
def test_plain_text_comes_as_it_is(file, name):
    assert contents(file(name)) == [(name, TEXT)]


@pytest.mark.parametrize("name", [*LIES, "right"])
@pytest.mark.parametrize("kind", COMPRESS)
def test_the_content_tells_the_compression(file, kind, name):
    path = file(f"x.txt.{kind}" if name == "right" else name, COMPRESS[kind](TEXT))
    assert contents(path) == [(path.name, TEXT)]


@pytest.mark.parametrize("name", ["x.txt.gz", "x.BZ2", "x.xz", "x.zst", "x.zip"])
@pytest.mark.parametrize("content", [TEXT, b"", b"\x1f", b"BZ"])
def test_plain_text_named_as_compressed_is_refused(file, name, content):
    with pytest.raises(DataError, match=r"named as .* but (is empty|does not begin as)"):
        contents(file(name, content))


@pytest.mark.parametrize("kind", COMPRESS)
def test_concatenated_streams_are_one(file, kind):
    pack = COMPRESS[kind]
    assert contents(file("x", pack(TEXT) + pack(b"") + pack(TEXT[:5]) + pack(TEXT[5:]))) == [
        ("x", TEXT + TEXT)
    ]


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) - 3])
def test_streams_may_meet_anywhere_in_a_piece(file, size):
    """The magic bytes of the second stream cross the end of a piece; many small streams follow."""
    first = gzip.compress(os.urandom(size - 1000), compresslevel=0)
    padded = first + b"\0" * max(0, (1 << 20) - 1 - len(first))
    path = file("x", padded + b"".join(gzip.compress(b"%d\n" % i) for i in range(300)))
    assert read_all(path).endswith(b"".join(b"%d\n" % i for i in range(300)))
    assert len(read_all(path)) == len(gzip.decompress(path.read_bytes()))


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_zeros_may_follow(file, kind):
    pack = COMPRESS[kind]
    assert read_all(file("x", pack(TEXT) + b"\0" * 512 + pack(TEXT) + b"\0" * (1 << 20))) == TEXT + TEXT


@pytest.mark.parametrize("rest", [b"x", TEXT, b"\0x", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0"])
@pytest.mark.parametrize("kind", COMPRESS)
def test_anything_else_may_not(file, kind, rest):
    with pytest.raises(DataError):
        read_all(file("x", COMPRESS[kind](TEXT) + rest))


def test_zstd_frames_to_skip_are_skipped(file):
    skip = b"\x5e\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"seek"
    assert read_all(file("x", skip + COMPRESS["zst"](TEXT) + skip)) == TEXT


@pytest.mark.parametrize(
    ("start", "hint"),
    [(b"Rar!\x1a\x07", "unrar x"), (b"7z\xbc\xaf\x27\x1c", "7z x"), (b"PK\x05\x06", "empty zip")],
)
def test_archives_of_another_kind_get_a_hint(file, start, hint):
    with pytest.raises(DataError, match=hint):
        find_sources(file("MQ2007.rar", start + bytes(100)))


def test_a_missing_or_forbidden_file_is_named(file, monkeypatch):
    with pytest.raises(DataError, match=r"absent\.txt: no such file"):
        find_sources("absent.txt")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = file("x.txt")
    monkeypatch.setattr("builtins.open", refuse)  # permissions do not apply if the tests run as root
    with pytest.raises(DataError, match=r"x\.txt: Permission denied"):
        find_sources(path)


# --- archives

FOLD = [("Fold1/test.txt", b"test"), ("Fold1/train.txt", b"train"), ("Fold1/vali.txt", b"vali")]
IN_ORDER = [FOLD[1], FOLD[2], FOLD[0]]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]])
@pytest.mark.parametrize("kind", PACK)
def test_members_come_as_train_vali_test(file, kind, order):
    path = file(f"x.{kind}", PACK[kind]([FOLD[i] for i in order]))
    assert contents(path) == IN_ORDER
    assert splits(path) == ["train", "vali", "test"]


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("name", LIES)
def test_the_content_tells_an_archive(file, kind, name):
    assert contents(file(name, PACK[kind](FOLD))) == IN_ORDER


@pytest.mark.parametrize("inner", COMPRESS)
@pytest.mark.parametrize("kind", PACK)
def test_members_may_be_compressed(file, kind, inner):
    path = file("x", PACK[kind]([(f"{name}.{inner}", COMPRESS[inner](text)) for name, text in FOLD]))
    assert [text for _, text in contents(path)] == [b"train", b"vali", b"test"]
    assert splits(path) == ["train", "vali", "test"]


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_every_zip_method_is_read(file, method):
    assert contents(file("x", zipped(FOLD, method))) == IN_ORDER


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_tar_format_is_read(file, format):
    name = "very long/" * 20 + "größer.txt"  # is stored in a separate header
    assert contents(file("x", tarred([(name, TEXT), ("b.txt", b"")], format)))[0] == ("b.txt", b"")
    assert contents(f"{file('x', tarred([(name, TEXT)], format))}::größer.txt") == [(name, TEXT)]


def test_an_old_tar_without_magic_is_told_by_its_name(file):
    header = bytearray(tarred([("a.txt", TEXT)]))
    header[257:265] = bytes(8)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    assert contents(file("x.tar", bytes(header))) == [("a.txt", TEXT)]


def test_a_tar_may_start_in_a_tiny_stream(file):
    packed = tarred(FOLD)
    assert contents(file("x", COMPRESS["gz"](packed[:100]) + COMPRESS["gz"](packed[100:]))) == IN_ORDER


def test_large_members_are_streamed_and_skipped(file):
    large = b"0 qid:1 1:1\n" * 300_000
    for kind in ("zip", "tar", "tar.gz"):
        path = file(f"x.{kind}", PACK[kind]([("test.txt", large), ("train.txt", TEXT), ("vali.txt", large)]))
        assert contents(path) == [("train.txt", TEXT), ("vali.txt", large), ("test.txt", large)]
        assert contents(f"{path}::train.txt") == [("train.txt", TEXT)]
        for _, pieces in read_pieces(find_sources(path)):
            assert len(next(pieces)) <= 1 << 20  # the rest is not read


@pytest.mark.parametrize("kind", PACK)
def test_nothing_is_extracted(tmp_path, file, kind, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evil = [("../evil.txt", b"evil"), (f"{tmp_path}/evil2.txt", b"evil"), ("a/train.txt", TEXT)]
    path = file("x", PACK[kind](evil))
    assert ("a/train.txt", TEXT) in contents(f"{path}::*.txt")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["x"]


def test_links_in_a_tar_are_not_followed(file, tmp_path):
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("train.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        archive.add(file("b.txt"), "b.txt")
    assert contents(path) == [("b.txt", TEXT)]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", PACK)
def test_a_member_that_is_there_twice_is_refused(file, kind):
    path = file("x", PACK[kind]([("a.txt", b"old"), ("b.txt", b"b"), ("a.txt", b"new")]))
    with pytest.raises(DataError, match=r"'a\.txt' is in it 2 times"):
        find_sources(path)
    assert contents(f"{path}::b.txt") == [("b.txt", b"b")]


def test_an_encrypted_zip_says_so(file):
    packed = bytearray(zipped([("a.txt", TEXT)]))
    packed[6] |= 1  # the flag of encryption, in both headers
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(DataError, match=r"encrypted.*\n.*unpack it"):
        contents(file("x.zip", bytes(packed)))


# --- selection by a pattern

TREE = [
    "R/Fold1/test.txt",
    "R/Fold1/train.txt",
    "R/Fold1/xtra.pdf",
    "R/Fold2/test.txt",
    "R/Fold2/train.txt",
    "R/readme.txt",
    "R/a[1].txt",
]


@pytest.fixture(params=["zip", "tar.gz", "folder"])
def tree(request, tmp_path, file):
    """Return a function from a pattern to the names that it selects in TREE, as a folder or archive."""
    if request.param == "folder":
        for name in TREE:
            file(f"tree/{name}", name.encode())
    else:
        file("tree", PACK[request.param]([("R/", None), *((name, name.encode()) for name in TREE)]))

    def chosen(pattern):
        argument = f"{tmp_path / 'tree'}::{pattern}" if pattern else tmp_path / "tree"
        return [text.decode() for _, text in contents(argument)]

    return chosen


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("R/Fold1/train.txt", ["R/Fold1/train.txt"]),
        ("Fold1/train.txt", ["R/Fold1/train.txt"]),
        ("/Fold1/train.txt", ["R/Fold1/train.txt"]),
        ("Fold1", ["R/Fold1/train.txt", "R/Fold1/test.txt"]),
        ("R/Fold2/", ["R/Fold2/train.txt", "R/Fold2/test.txt"]),
        ("Fold*/test.txt", ["R/Fold1/test.txt", "R/Fold2/test.txt"]),
        ("Fold?/test.txt", ["R/Fold1/test.txt", "R/Fold2/test.txt"]),
        ("Fold[2]/*.txt", ["R/Fold2/train.txt", "R/Fold2/test.txt"]),
        ("readme.txt", ["R/readme.txt"]),
        ("a[1].txt", ["R/a[1].txt"]),
    ],
)
def test_patterns(tree, pattern, names):
    assert tree(pattern) == names


@pytest.mark.parametrize("pattern", ["", "R", "train.txt"])
def test_several_folds_need_a_choice(tree, pattern):
    with pytest.raises(
        DataError,
        match=r"holds Fold1, Fold2, .*\n  choose one: .*R/Fold1, or one split: .*R/Fold1/train\.txt",
    ):
        tree(pattern)


@pytest.mark.parametrize("pattern", ["old1/train.txt", "fold1", "*.dat", "Fold1/train"])
def test_a_pattern_that_matches_nothing_lists_what_is_there(tree, pattern):
    with pytest.raises(
        DataError, match=r"nothing in it matches .*; it holds R/Fold1/test\.txt, R/Fold1/train\.txt"
    ):
        tree(pattern)


def test_the_choice_in_a_message_works(tree, tmp_path):
    with pytest.raises(DataError) as refused:
        tree("")
    one, split = str(refused.value).split("choose one: ")[1].split(", or one split: ")
    assert [text for _, text in contents(one)] == [b"R/Fold1/train.txt", b"R/Fold1/test.txt"]
    assert [text for _, text in contents(split)] == [b"R/Fold1/train.txt"]


def test_a_pattern_needs_an_archive(file):
    with pytest.raises(DataError, match=r"'::a' chooses a member, but this is not an archive"):
        find_sources(f"{file('x.txt')}::a")


@pytest.mark.parametrize("kind", ["zip", "tar", "folder"])
def test_clutter_is_not_seen(file, tmp_path, kind):
    clutter = [
        "__MACOSX/train.txt",
        "._train.txt",
        ".hidden/train.txt",
        "a/.rankduel/train.txt",
        "README.txt",
        "pic.png",
    ]
    names = ["./a/train.txt" if kind == "tar" else "a/train.txt", *clutter]
    if kind == "folder":
        for name in names:
            file(f"x/{name}")
    else:
        file("x", PACK[kind]([(name, TEXT) for name in names]))
    assert [source.split for source in find_sources(tmp_path / "x")] == ["train"]
    with pytest.raises(DataError, match="nothing in it matches"):
        find_sources(f"{tmp_path / 'x'}::hidden/*")


def test_a_single_file_needs_no_suffix_but_several_do(file, tmp_path):
    file("x/rank.train")
    assert contents(tmp_path / "x") == [("rank.train", TEXT)]
    file("x/rank.train.query", b"3")
    with pytest.raises(DataError, match=r"no \.txt data in it; it holds rank\.train, rank\.train\.query"):
        find_sources(tmp_path / "x")


def test_an_archive_alone_in_a_folder_is_opened(file, tmp_path):
    file("x/MSLR.zip", zipped(FOLD))
    assert contents(tmp_path / "x") == IN_ORDER


def test_an_empty_folder_says_so(tmp_path):
    with pytest.raises(DataError, match=r"no \.txt data in it; it holds nothing"):
        find_sources(tmp_path)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("Fold1/train.txt.gz", "train"), ("set1.valid.txt", "valid"), ("train.rank.dat", "train"),
        ("Test.txt", "Test"), ("mine.txt", "mine"), ("train/mine.txt", "mine"),
    ],
)  # fmt: skip
def test_the_split_is_in_the_name(name, split):
    assert Source(Path(name)).split == Source(Path("x.zip"), name).split == split


def test_one_file_means_one(file, tmp_path):
    path = file("x.zip", zipped(FOLD))
    with pytest.raises(DataError, match="expected one file, found 3"):
        read_all(path)
    assert read_all(f"{path}::vali.txt") == b"vali"


def test_sources_are_read_in_the_order_given(file):
    path, plain = file("x.tar.gz", PACK["tar.gz"](FOLD)), file("a.txt")
    order = [
        find_sources(f"{path}::vali.txt")[0],
        find_sources(plain)[0],
        *find_sources(f"{path}::*t*.txt")[::-1],
    ]
    assert [source for source, _ in read_pieces(order)] == order
    twice = find_sources(plain) * 2
    assert [b"".join(pieces) for _, pieces in read_pieces(twice)] == [TEXT, TEXT]


def test_finding_files_does_not_open_them(file, tmp_path):
    file("x.zip", b"not a zip at all")
    assert find_files(f"{tmp_path / 'x.zip'}::Fold1") == [(tmp_path / "x.zip", "Fold1")]


# --- progress


@pytest.mark.parametrize("order", [1, -1])  # in reverse order, a tar archive is read twice
@pytest.mark.parametrize("kind", ["plain", "gz", *PACK])
def test_progress_ends_at_the_total(file, kind, order):
    text = b"".join(b"0 qid:1 1:%d\n" % i for i in range(90_000))  # larger than a piece
    pack = PACK.get(kind, lambda members: COMPRESS.get(kind, bytes)(text))
    path, other = file("x", pack([("train.txt", text), ("test.txt", text)][::order])), file("y.txt")
    told = []
    for _, pieces in read_pieces(find_sources(path) + find_sources(other), lambda *both: told.append(both)):
        for _ in pieces:
            pass
    done, total = zip(*told)
    assert list(done) == sorted(done) and len(set(total)) == 1
    assert done[-1] == total[0]
    if kind != "zip":  # zip members count with their unpacked size
        assert total[0] == path.stat().st_size + other.stat().st_size


def test_progress_ends_at_the_total_though_the_end_is_not_read(file):
    path, told = file("x.tar", tarred(FOLD) + bytes(3 << 20)), []
    for _, pieces in read_pieces(find_sources(path), lambda *both: told.append(both)):
        list(pieces)
    assert told[-1] == (path.stat().st_size,) * 2

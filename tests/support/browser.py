"""Pages in headless Chromium, and scripts that inspect them."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium found; 'apt-get install chromium' has one"),
]

# Runs before all other scripts of the page, and before its content-security policy is read.
HOOKS = """<script>
var complaints = [];
const complain = (kind, ...all) => complaints.push(kind + ": " + all.join(" "));
for (const kind of ["error", "warn"]) console[kind] = (...all) => complain(kind, ...all);
for (const kind of ["alert", "confirm", "prompt", "open"]) window[kind] = (...all) => complain(kind, ...all);
for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"])
  window.addEventListener(kind, event => complain(kind, event.message || event.reason || event.blockedURI));
</script>"""
POLICY = re.compile('<meta http-equiv="Content-Security-Policy"[^>]*>')


def scripted(page, name, script, **constants):
    """Return a copy of the page that runs `script`, shows its findings and posts them to the parent page."""
    known = "".join(f"const {key} = {json.dumps(value)};" for key, value in constants.items())
    run = f"""(async () => {{
    const found = {{}}; {known.replace("<", chr(92) + "u003c")}
    try {{ {script} }} catch (problem) {{ complaints.push("script: " + problem.stack); }}
    found.complaints = [...(found.complaints || []), ...complaints];
    const text = JSON.stringify(found), shown = document.createElement("pre");
    shown.id = "found"; shown.textContent = text; document.body.append(shown); parent.postMessage(text, "*");
    }})();"""
    digest = base64.b64encode(hashlib.sha256(run.encode()).digest()).decode()
    source = page.read_text("utf-8").replace("<head>", f"<head>{HOOKS}", 1)
    source = re.sub(
        "script-src(?: &#39;none&#39;)?", f"script-src &#39;sha256-{digest}&#39;", source, count=1
    )
    before, end, after = source.rpartition("</body>")
    copy = page.with_name(f"{name}.html")
    copy.write_text(f"{before}<script>{run}</script>{end}{after}", "utf-8")
    return copy


def dom_of(page, *options):
    """Return the document after all scripts have run."""
    profile = page.parent / "profile"
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *quiet, f"--user-data-dir={profile}"]
    command += ["--virtual-time-budget=60000", *options, "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=170).stdout


def findings(dom):
    return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)[1]))


def findings_and_network(page, *options):
    """Return the findings of the script of a page, and the addresses that the page requested."""
    log = page.with_suffix(".network.json")
    found = findings(dom_of(page, *options, f"--log-net-log={log}"))
    return {**found, "network": requested_addresses(log)}


def requested_addresses(log):
    """Return the network addresses that a page requested; requests of Chromium itself have no origin."""
    requests = [event["params"] for event in json.loads(log.read_text())["events"] if "params" in event]
    requests = [params for params in requests if params.get("initiator", "not an origin") != "not an origin"]
    return sorted({params["url"] for params in requests if params["url"].startswith(("http", "ws"))})

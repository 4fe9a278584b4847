"""Names of the papers whose claims are tested, as the pages print them."""

AGARWAL_2022 = "Agarwal et al. 2022 (C2B)"
KOMIYAMA_2015 = "Komiyama et al. 2015 (RMED)"
LI_2020 = "Li et al. 2020 (MergeDTS)"
YAN_2022 = "Yan 2022 (thesis)"
ZOGHI_2014 = "Zoghi et al. 2014 (RCS)"
ZOGHI_2017 = "Zoghi 2017 (thesis)"
# Checks that no paper claims: properties of public data, and comparisons that are added here.
NONE = "no paper: properties of public data, comparisons added here"

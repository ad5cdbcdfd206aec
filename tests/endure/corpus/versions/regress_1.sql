CREATE TABLE about (version INTEGER NOT NULL);
INSERT INTO about VALUES (1);
CREATE TABLE run (began TEXT, command TEXT, range TEXT, settings TEXT);
CREATE TABLE subject (asked TEXT, tree TEXT, block TEXT, status TEXT, message TEXT, module TEXT, key TEXT, unproved TEXT, seconds REAL, PRIMARY KEY (asked, tree, block));
CREATE TABLE proof (asked TEXT, old TEXT, new TEXT, verdict TEXT, seconds REAL, answer TEXT, PRIMARY KEY (asked, old, new));
CREATE TABLE result (asked TEXT, key TEXT, block TEXT, config TEXT, commit_id TEXT, verdict TEXT, seconds REAL, answer TEXT, PRIMARY KEY (asked, key, block, config));
CREATE TABLE verdict (asked TEXT, commit_id TEXT, block TEXT, config TEXT, verdict TEXT, settled_by TEXT, seconds REAL, row TEXT, PRIMARY KEY (asked, commit_id, block, config));

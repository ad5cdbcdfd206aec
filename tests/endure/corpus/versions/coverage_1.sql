CREATE TABLE IF NOT EXISTS about (version INTEGER NOT NULL);
INSERT INTO about SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM about);
CREATE TABLE IF NOT EXISTS space (id INTEGER PRIMARY KEY, block TEXT, config TEXT, tied TEXT, digest TEXT, UNIQUE (block, config, tied, digest));
CREATE TABLE IF NOT EXISTS point (space INTEGER, number INTEGER, name TEXT, rate INTEGER, doc TEXT, PRIMARY KEY (space, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, space INTEGER, kind TEXT, stimulus TEXT, seed INTEGER, asked INTEGER, power_up TEXT, verdict TEXT, cycles INTEGER, module TEXT, rtl TEXT, source TEXT, version TEXT, added TEXT, UNIQUE (space, kind, stimulus, seed, asked, power_up));
CREATE TABLE IF NOT EXISTS hit (run INTEGER, point INTEGER, hits INTEGER, PRIMARY KEY (run, point)) WITHOUT ROWID;

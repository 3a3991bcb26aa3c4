# fish makes completions of manual pages for every program that has none here, and would mix them with those of git-llmpatch in conf.d.

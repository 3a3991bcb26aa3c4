changed();
twice();

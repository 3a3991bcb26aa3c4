    indented();

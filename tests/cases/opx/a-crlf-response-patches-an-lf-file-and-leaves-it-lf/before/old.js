old();

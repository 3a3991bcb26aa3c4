log(1);
run();
log(1);

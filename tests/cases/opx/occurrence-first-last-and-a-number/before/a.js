log(1);
log(1);
log(1);
log(1);

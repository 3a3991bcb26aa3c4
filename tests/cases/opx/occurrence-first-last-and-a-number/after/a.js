first();
log(1);
second();
last();

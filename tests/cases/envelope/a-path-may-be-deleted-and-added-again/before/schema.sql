create table t (id int);
create table u (id int);

create table t (id integer primary key);

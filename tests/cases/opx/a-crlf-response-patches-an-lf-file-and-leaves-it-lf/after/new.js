fresh();

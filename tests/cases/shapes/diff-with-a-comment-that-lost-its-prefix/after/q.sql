SELECT id
FROM customers;
-- done

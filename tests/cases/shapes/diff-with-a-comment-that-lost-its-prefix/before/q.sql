SELECT id
FROM customers;
-- the end

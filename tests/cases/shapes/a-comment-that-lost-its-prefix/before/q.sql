-- all customers
SELECT id, name
FROM customers
WHERE active = 1;
-- the end

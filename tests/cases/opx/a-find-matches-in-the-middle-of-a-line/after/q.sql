SELECT id, name, email FROM users WHERE id = 1;
SELECT 1;

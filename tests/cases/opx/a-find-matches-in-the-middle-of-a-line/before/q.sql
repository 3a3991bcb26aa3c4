SELECT id, name FROM users WHERE id = 1;
SELECT 1;

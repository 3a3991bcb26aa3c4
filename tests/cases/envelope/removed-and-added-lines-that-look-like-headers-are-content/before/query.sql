select 1
-- a comment

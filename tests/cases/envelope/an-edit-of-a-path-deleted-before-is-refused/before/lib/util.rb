def up(s) = s.upcase

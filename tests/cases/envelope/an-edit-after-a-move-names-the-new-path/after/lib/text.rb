def loud(s) = s.upcase

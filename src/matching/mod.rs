//! Where does this stand in that? Knows no files and no formats: slices in, places out.

// a file
function declaration
old implementation
// its end

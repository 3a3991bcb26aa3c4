// a file
function declaration
new implementation
// its end

int x;
int z;

/**
 * old
 */

int y;
int z;

/**
 * old
 */

// Holds a file open so that nobody else can write to it, rename or remove it, until its input ends.
#include <stdio.h>
#include <windows.h>

int main(int count, char **arguments) {
  HANDLE file = count < 2 ? INVALID_HANDLE_VALUE
                          : CreateFileA(arguments[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return 1;
  puts("held");
  fflush(stdout);
  while (getchar() != EOF) {}
  return 0;
}

/* The even levels of lto.c. */
void level_3(int n);
void level_5(int n);
void level_2(int n);
void level_4(int n);

void level_2(int n) {
  level_3(n + 1);
}

void level_4(int n) {
  level_5(n - 7);
}

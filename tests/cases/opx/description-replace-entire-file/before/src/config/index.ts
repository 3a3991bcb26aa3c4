export const config = {
  apiBaseUrl: 'http://localhost:3000',
};

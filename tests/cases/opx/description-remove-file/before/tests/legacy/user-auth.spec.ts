it('logs in', () => {});

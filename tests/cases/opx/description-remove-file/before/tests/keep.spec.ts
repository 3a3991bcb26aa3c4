it('stays', () => {});

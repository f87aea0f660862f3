/** Holds once questions can be asked: what is asked before would be lost. */
const ready = Promise.withResolvers<void>();
export const whenReady = (): Promise<void> => ready.promise;
export const nowReady = (): void => ready.resolve();

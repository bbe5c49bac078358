/** In the client of a service without mail, in place of mail-requests.ts. */

export const mailMethods = (..._: readonly unknown[]): object => ({})

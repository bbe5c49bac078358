/** In the client of a service without files, in place of file-exchange.ts. */

export const fileAt = (..._: readonly unknown[]): object => ({})

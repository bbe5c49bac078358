/** In the types of the client of a service without mail, in place of mail-methods.ts. */

export type MailMethods = unknown

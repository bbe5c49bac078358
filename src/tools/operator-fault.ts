/** A fault that the operator of a service, or the user of a command, can correct. */

/** The message says why and what to do. The command line prints it alone, without the stack. */
export class OperatorFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

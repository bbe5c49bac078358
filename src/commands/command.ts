/** What every command of the command line is. */

export interface Command {
  readonly usage: string
  readonly summary: string
  /** Resolves to the exit code when the work is done. */
  run(args: readonly string[]): Promise<number>
}

/** The operator must do something first; the message says what, and is all that is shown. */
export class CommandFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CommandFault'
  }
}

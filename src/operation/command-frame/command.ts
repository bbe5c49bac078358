/** The interface of the commands, and the fault that a user can correct. */

export interface Command {
  readonly usage: string
  readonly summary: string
  /** Resolves to the exit code. Rejects with a CommandFault when the user has to change something. */
  run(args: readonly string[]): Promise<number>
}

/** A fault that the user can correct. The command line prints only its message. */
export class CommandFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CommandFault'
  }
}

/** The interface of the commands, and the fault that a user can correct. */

import type { Model } from '../../definition/model.ts'
import type { Sample } from '../../definition/sample-rows.ts'
import { OperatorFault } from '../../tools/operator-fault.ts'

export interface Command {
  readonly usage: string
  readonly summary: string
  /** Resolves to the exit code. Rejects with a CommandFault when the user has to change something. */
  run(args: readonly string[], load: LoadDefinition): Promise<number>
}

/** Loads a definition file. Throws a CommandFault when the file is missing, cannot be loaded, or has faults. */
export type LoadDefinition = (file: string) => Promise<LoadedDefinition>

export interface LoadedDefinition {
  readonly model: Model
  readonly sample: Sample | undefined
}

/** The arguments of a command, and how it loads its definition. */
export interface CommandCall {
  readonly args: readonly string[]
  readonly load: LoadDefinition
}

/** A fault of a call of a command. */
export class CommandFault extends OperatorFault {}

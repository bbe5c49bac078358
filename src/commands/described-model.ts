/** The flag `--api-version` of commands that describe the interface. */

import type { Model } from '../definition/model.ts'
import { modelInVersion } from '../definition/model-in-version.ts'
import { CommandFault } from '../operation/command-frame/command.ts'

/** The model of the older version; the present one without the flag. */
export function describedModel(model: Model, name: string | undefined): Model {
  if (name === undefined) return model
  const version = model.versions.get(name)
  if (version) return modelInVersion(model, version)
  const known = [...model.versions.keys()].join(', ')
  const hint = known === '' ? 'The definition declares no versions.' : `Expected: ${known}.`
  throw new CommandFault(`Unknown version '${name}'. ${hint}`)
}

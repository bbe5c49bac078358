/** The model that descriptions of an older version of the interface show. */

import { memoizeByObject } from '../tools/memoize.ts'
import type { InterfaceVersion } from './interface-version.ts'
import type { Model } from './model.ts'

/** The model with the version that it describes; the same object for the same version. */
export function modelInVersion(model: Model, version: InterfaceVersion): Model {
  return modelsInVersions(model)(version)
}

const modelsInVersions = memoizeByObject((model: Model) =>
  memoizeByObject((shownVersion: InterfaceVersion): Model => Object.freeze({ ...model, shownVersion })),
)

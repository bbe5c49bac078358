/** The site of a definition, checked. */

import { ModelPart } from '../../definition/model-part.ts'

export interface SiteModel {
  /** The absolute path. */
  readonly folder: string
  /** The paths in URIs. */
  readonly fallback: string | undefined
  readonly immutable: string | undefined
  readonly policy: string
}

/** The files at the paths outside of `base`; undefined: there are none. */
export const siteModel = new ModelPart<SiteModel | undefined>()

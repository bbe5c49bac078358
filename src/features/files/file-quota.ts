/** The quota of files, which the definition sets. */

import { ModelPart } from '../../definition/model-part.ts'

/** Octets that the files of an account may have together; undefined: unlimited. */
export const fileQuota = new ModelPart<number | undefined>()

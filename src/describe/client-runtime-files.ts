/** The files of the generated client, by definition. */

import { hasFiles } from '../definition/file-fields.ts'
import type { Model } from '../definition/model.ts'

/** The files of the runtime: the client, and the functions that it imports. */
export function runtimeFiles(model: Model): readonly string[] {
  return hasFiles(model) ? withFiles : withoutFiles
}

const everyRuntime = [
  'runtime',
  'format-query',
  'follow-changes',
  'call-action',
  'repeat-request',
  'send-batch',
  'end-of-job',
]
const withFiles = [...everyRuntime, 'file-exchange']
const withoutFiles = [...everyRuntime, 'no-file-exchange']

/** The files of its types. */
export const typeFiles = [
  'types.ts',
  'action-types.ts',
  'batch-types.ts',
  'job-types.ts',
  'options.ts',
  'change.ts',
  'item-version.ts',
  'file.ts',
]

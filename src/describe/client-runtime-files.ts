/** The files of the generated client, by definition. */

import { hasFiles } from '../definition/file-fields.ts'
import type { Model } from '../definition/model.ts'

/** The files of the runtime: the client, and the functions that it imports. */
export function runtimeFiles(model: Model): readonly string[] {
  const files = hasFiles(model) ? 'file-exchange' : 'no-file-exchange'
  return [...everyRuntime, files, model.mail ? 'mail-requests' : 'no-mail-requests']
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

/** The files of its types. */
export function typeFiles(model: Model): readonly string[] {
  return [...everyType, model.mail ? 'mail-methods.ts' : 'no-mail-methods.ts']
}

const everyType = [
  'types.ts',
  'action-types.ts',
  'batch-types.ts',
  'job-types.ts',
  'options.ts',
  'change.ts',
  'item-version.ts',
  'file.ts',
]

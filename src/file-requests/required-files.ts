/** The files of a service that has some. */

import type { FileHandler } from '../context/file-handler.ts'
import type { ServiceContext } from '../context/service-context.ts'

export function requireFiles({ files }: Pick<ServiceContext, 'files'>): FileHandler {
  if (files) return files
  throw new Error('The definition has no field for files')
}

/** The files that the records of an import name: read from a folder, checked like those of requests, and stored. */

import { createReadStream, statSync } from 'node:fs'
import { join, normalize, sep } from 'node:path'
import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { formatStoredFiles } from '../../definition/stored-file.ts'
import { type ContentFault, Refusal } from '../../refusal.ts'
import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { AcceptedFile } from '../../requests/context/request-content.ts'
import { createUploadedMember, findUploadedFile } from '../../requests/context/uploaded-member.ts'
import type { FileStore } from '../../store/file-store.ts'
import { cleanFileName } from '../../store/files/file-name.ts'
import { addedFile, nextColumn } from './next-file.ts'
import { describeType, findSignatureFault, limited, requirePartType } from './upload-checks.ts'

interface FilesToImport {
  readonly store: FileStore
  /** Where the files are. */
  readonly folder: string
}

/** Undefined: records may not have files. */
export function createFileImport(files: FilesToImport | undefined) {
  return {
    storeFiles: (resource: ResourceModel, members: Map<string, JsonValue>, faults: ContentFault[]) =>
      storeFiles(files, resource, members, faults),
    columnsAt,
  }
}

function columnsAt(now: number): Pick<FileHandler, 'encodeNamedFiles'> {
  return {
    async encodeNamedFiles({ field, value, row, caller }) {
      const storing = { caller, now }
      const files = (Array.isArray(value) ? value : [value]).flatMap(
        (member) => findUploadedFile(member) ?? [],
      )
      if (isFileList(field)) {
        return { stored: formatStoredFiles(files.map((file) => addedFile(file, storing))) }
      }
      const [file] = files
      return file ? { stored: nextColumn(file, { row, field, storing }) } : { faults: [] }
    },
  }
}

async function storeFiles(
  files: FilesToImport | undefined,
  { fields }: ResourceModel,
  members: Map<string, JsonValue>,
  faults: ContentFault[],
): Promise<void> {
  for (const field of fields) {
    const { name } = field
    const value = members.get(name)
    if (!findFileModel(field) || value === undefined || value === null) continue
    members.delete(name)
    const isList = isFileList(field) && Array.isArray(value)
    const stored: JsonValue[] = []
    for (const [at, member] of (isList ? value : [value]).entries()) {
      const pointer = isList ? `/${name}/${at}` : `/${name}`
      const outcome = files ? await storeFile(files, field, member) : noFolder
      if (typeof outcome === 'string') faults.push({ pointer, rule: 'file', detail: outcome })
      else stored.push(createUploadedMember(outcome))
    }
    const [first] = stored
    if (isList) members.set(name, stored)
    else if (first !== undefined) members.set(name, first)
  }
}

const noFolder = 'Name the folder of the files with --files, or leave the field out.'
const expected = 'Must be an object such as {"file": "cat.png", "type": "image/png"}.'

/** The file whose content is stored, or why it cannot be. */
async function storeFile(
  { store, folder }: FilesToImport,
  field: FieldModel,
  member: JsonValue,
): Promise<AcceptedFile | string> {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return expected
  const { file, name, type, digest } = member as Readonly<Record<string, JsonValue>>
  if (typeof file !== 'string' || typeof type !== 'string') return expected
  const path = findPath(folder, file)
  if (path === undefined) return `There is no file '${file}' in ${folder}.`
  try {
    const accepted = describeType(requirePartType(field, type))
    const received = await store.receive(limited(createReadStream(path), field))
    const isOther = digest !== undefined && digest !== `sha-256=:${received.digest}:`
    const fault = isOther
      ? `The file '${file}' has another digest.`
      : findSignatureFault(field, accepted, received)?.detail
    if (fault !== undefined) {
      await received.discard()
      return fault
    }
    await received.keep()
    const shown = cleanFileName(typeof name === 'string' ? name : file, { field: field.name, type: accepted })
    return { name: shown, type: accepted, size: received.size, digest: received.digest }
  } catch (error) {
    if (error instanceof Refusal) return error.options.detail ?? error.message
    throw error
  }
}

/** The path of a file in the folder; undefined where there is none. */
function findPath(folder: string, file: string): string | undefined {
  const relative = normalize(file)
  if (file.includes('\0') || relative === '..' || relative.startsWith(`..${sep}`)) return undefined
  const path = join(folder, relative)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined
}

/** The interface through which requests use files. A service without fields for files has no handler. */

import type { Principal } from '../../access/principal.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import type { StoredFile } from '../../definition/stored-file.ts'
import type { MediaType } from '../../http/media-type.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import type { StreamLimit } from '../../limits/stream-limit.ts'
import type { ContentFault, Refusal } from '../../refusal.ts'
import type { FileStore } from '../../store/file-store.ts'
import type { Row } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import type { Write, WriteOutcome } from '../../store/write.ts'
import type { RequestContent } from './request-content.ts'

export interface FileHandler {
  readonly store: FileStore
  /** Undefined where the definition has none. */
  readonly quota: FileQuota | undefined
  /** Limits how many files are sent at the same time. */
  readonly streams: StreamLimit
  /** The file that a PUT sends, or the files that a POST sends; refuses 400, 413 and 415 by the header fields. */
  acceptFile(sent: SentFile): RequestContent
  /** A form with files that creates or changes an item; refuses 400, 413 and 415 by the header fields. */
  acceptForm(form: SentItemForm): RequestContent
  /** Finds a file that an item has, or had in a version, if the caller may read it there. */
  findStoredFile(place: StoredFilePlace): Promise<StoredFile | undefined>
  /** Finds the files that a member of content names, to copy or to keep them. */
  encodeNamedFiles(lookup: NamedFileLookup): Promise<NamedFiles>
  /** HEAD, PATCH and DELETE of an upload (`/uploads/{id}`). */
  performUpload(sent: UploadRequest): Promise<HttpResponse>
  /** Removes the folder of a temporary database. */
  close(): Promise<void>
}

/** The octets that the files of each account may have together. */
export interface FileQuota {
  /** Those that the caller may still store; infinite for callers without an account. */
  left(caller: Principal): Promise<number>
  /** Refuses 413 where the files of the writes would not be within the quota now. */
  requireRoom(writes: readonly Write[]): Promise<void>
  /** Commits the writes, if their files are within the quota; refuses 413. */
  commit(writes: readonly Write[], commit: () => Promise<WriteOutcome>): Promise<WriteOutcome>
  /** The 413 where so many octets are left. */
  refusal(left: number): Refusal
}

export interface SentFile {
  readonly store: Store
  /** Whether it is received and checked, and not kept. */
  readonly isDryRun?: boolean | undefined
  readonly caller: Principal
  /** Of a POST, the list of files; else the field of the file. */
  readonly field: FieldModel
  /** The path of the file, or of the list. */
  readonly path: string
  readonly request: HttpRequest
}

export interface UploadRequest extends Pick<SentFile, 'store' | 'caller' | 'request'> {
  readonly id: string
  /** Performs the request that the upload was begun with, for the same caller: all decisions after authentication. */
  complete(request: HttpRequest): Promise<HttpResponse>
}

export interface SentItemForm {
  /** Whether its files are received and checked, and not kept. */
  readonly isDryRun?: boolean | undefined
  readonly caller: Principal
  readonly resource: ResourceModel
  readonly method: string
  readonly request: HttpRequest
  /** Its Content-Type. */
  readonly type: MediaType
  /** Octets of all values that are no files. */
  readonly maxValues: number
}

export interface StoredFilePlace {
  readonly store: Store
  readonly caller: Principal
  /** The resource and the id of the item. */
  readonly resource: ResourceModel
  readonly id: string
  readonly key: string
}

export interface NamedFileLookup {
  readonly store: Store
  readonly caller: Principal
  /** The field that the content sets. */
  readonly field: FieldModel
  readonly value: JsonValue
  /** The row to be changed; undefined where it is a new one. */
  readonly row: Row | undefined
}

/** The value of the column, or why there is none. A hidden file has the same fault as an absent one. */
export type NamedFiles = { readonly stored: string } | { readonly faults: readonly ContentFault[] }

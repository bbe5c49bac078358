/** The methods of a file of an item. Types only, because the text of this file is part of a `.d.ts`. */

/**
 * A file of an item, such as `api.tasks.cover(id)`. Writes are rejected with a Problem (412) when the
 * file has changed since this client last read or wrote it.
 */
export interface FileResource {
  /** Returns the content with its media type. */
  get(): Promise<Blob>
  /** Stores the content. `name` is by default that of a File. */
  put(content: Blob, options?: { readonly name?: string }): Promise<void>
  remove(): Promise<void>
}

/** For each field for files a function from the id of an item to its file. */
export type FileResources<S> = S extends { readonly files: infer F extends string }
  ? { readonly [N in F]: (id: string) => FileResource }
  : unknown

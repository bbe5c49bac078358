/** The methods of a file of an item. Types only, because the text of this file is part of a `.d.ts`. */

/**
 * A file of an item, such as `api.tasks.cover(id)`. Writes are rejected with a Problem (412) when the
 * file has changed since this client last read or wrote it.
 */
export interface FileResource {
  /** Returns the content with its media type. */
  get(): Promise<Blob>
  /** Stores the content. With `resume` it is sent in parts, and an upload that was cut continues where it stopped. */
  put(content: Blob, options?: FileOptions & { readonly resume?: boolean }): Promise<void>
  remove(): Promise<void>
}

/** A list of files of an item, such as `api.tasks.photos(id)`. The item shows which files it has. */
export interface FileList {
  /** Adds the content at the end; returns the `href` of the new file. */
  add(content: Blob, options?: FileOptions): Promise<string>
  /** The file of the list with this `href` or id. */
  file(href: string): FileResource
}

export interface FileOptions {
  /** By default that of a File. */
  readonly name?: string
}

/** For each field for files a function from the id of an item to its file, or to its list of files. */
export type FileResources<S> = (S extends { readonly files: infer F extends string }
  ? { readonly [N in F]: (id: string) => FileResource }
  : unknown) &
  (S extends { readonly fileLists: infer F extends string }
    ? { readonly [N in F]: (id: string) => FileList }
    : unknown)

/** The types of jobs. Types only, because the text of this file is part of a `.d.ts`. */

/** The method of jobs that other collections do not have: returns the job when it has ended; `status` says how. */
export type JobMethods<S> = S extends { readonly isJob: true; readonly row: infer Row }
  ? { ended(id: string): Promise<Row> }
  : unknown

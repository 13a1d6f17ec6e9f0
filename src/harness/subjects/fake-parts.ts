/** What a case may change of the harness in an executor's place, in words that every binding understands. */
import type { ServerResponse } from 'node:http';
import type { UnsignedEnvelope } from '../../profile/envelope.js';
import type { ResultEnvelope } from '../../profile/model.js';
import type { Json } from '../wire/probe.js';
import type { Story, StoryEvent, StoryPage } from './fake-story.js';

export interface Received {
  /** Of HTTP; a frame on an open connection has none. */
  method: string;
  path: string;
  authorization: boolean;
  /** Names and values of HTTP's header lines in turn, as they came; a frame has none. */
  headers: readonly string[];
  /** The binding's own name of the operation. */
  rpc?: string;
  /** The place that events were asked from. */
  cursor?: string;
  body: string;
}

/** The way back for one request. */
export interface FakeWay {
  /** This text is the whole answer. */
  send(text: string): void;
  /** No answer: the connection ends. */
  drop(): void;
  /** Where the binding has one. */
  http?: ServerResponse;
}

export interface FakeParts {
  /** What it says of itself, as it would be honest: the card, or the answer to `describe`. */
  card(card: Json): Json;
  /** The envelope before it is signed. */
  unsigned(envelope: UnsignedEnvelope): UnsignedEnvelope;
  /** The story after it was signed: what is sent in its place. */
  story(
    story: Story,
    tools: {
      resign(unsigned: UnsignedEnvelope): ResultEnvelope;
      strangerSigns(unsigned: UnsignedEnvelope): ResultEnvelope;
    },
  ): Story;
  /**
   * With it the first observer finds the task running and gets these events of the signed story live; whoever reads
   * after that gets what `story` and `page` made of it.
   */
  live?(events: StoryEvent[], story: Story): StoryEvent[];
  /**
   * What the live stream's items become on the wire, each piece a write of its own; one event or frame per item by
   * default. In frames, a buffer is a binary one.
   */
  encode?(items: string[]): (string | Buffer)[];
  /** Answers an operation in place of the usual answer; false leaves it to that. */
  answer?(method: string, id: unknown, way: FakeWay): boolean;
  /** The events after this sequence, as they are told once the task has ended: beside the Task, or as a stream. */
  page(page: StoryPage, after: number, story: Story): StoryPage;
}

export const HONEST: FakeParts = {
  card: (card) => card,
  unsigned: (envelope) => envelope,
  story: (story) => story,
  page: (page) => page,
};

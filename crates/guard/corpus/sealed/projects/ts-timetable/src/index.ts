export * from './calendar';
export * from './plan';
export * from './search';
export * from './show';
export * from './time';

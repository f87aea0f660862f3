import { Input, type InputWrapperProps, Skeleton } from "@mantine/core";
import { type ComponentType, lazy, Suspense } from "react";

const HEIGHT = 34;

/** What says where a field will be: nothing that somebody could type into, and lose. */
function Place({ label, description, w, hiddenFrom, visibleFrom }: Partial<InputWrapperProps>) {
  const at = { ...(w !== undefined && { w }), ...(hiddenFrom && { hiddenFrom }), ...(visibleFrom && { visibleFrom }) };
  return (
    <Input.Wrapper labelElement="div" label={label} description={description} {...at}>
      <Skeleton height={HEIGHT} radius={6} animate={false} />
    </Input.Wrapper>
  );
}

/** A field whose code comes after the page: lists that open, and what belongs to them, are a fifth of a page otherwise. */
export function later<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  const Field = lazy(load) as ComponentType<P>;
  return (props) => (
    <Suspense fallback={<Place {...(props as Partial<InputWrapperProps>)} />}>
      <Field {...props} />
    </Suspense>
  );
}

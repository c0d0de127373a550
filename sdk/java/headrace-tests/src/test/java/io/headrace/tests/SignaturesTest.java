package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.HeadraceClient;
import io.headrace.testing.HeadraceServer;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user sees of the client is of the JDK, of Protobuf, or its own: nothing of gRPC or Guava. */
class SignaturesTest {
  private static final List<String> HIDDEN = List.of("io.grpc.", "com.google.common.");

  /** The public classes of the package of a class, from wherever that was loaded. */
  private static List<Class<?>> publicClasses(Class<?> of) throws Exception {
    Path origin = Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI());
    String folder = of.getPackageName().replace('.', '/');
    if (Files.isDirectory(origin)) {
      return publicClasses(of, origin.resolve(folder));
    }
    try (FileSystem jar = FileSystems.newFileSystem(origin, (ClassLoader) null)) {
      return publicClasses(of, jar.getPath(folder));
    }
  }

  private static List<Class<?>> publicClasses(Class<?> of, Path folder) throws IOException, ClassNotFoundException {
    List<Class<?>> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).collect(Collectors.toList())) {
        String name = file.getFileName().toString().replaceAll("\\.class$", "");
        Class<?> type = Class.forName(of.getPackageName() + "." + name, false, of.getClassLoader());
        if (Modifier.isPublic(type.getModifiers())) {
          found.add(type);
        }
      }
    }
    return found;
  }

  /** Everything that a user can name, as it is written, and what it extends. */
  private static List<String> signatures(Class<?> type) {
    Stream<String> methods =
        Arrays.stream(type.getMethods()).filter(m -> m.getDeclaringClass() != Object.class).map(Method::toGenericString);
    Stream<String> constructors =
        Arrays.stream(type.getDeclaredConstructors()).filter(SignaturesTest::seen).map(Executable::toGenericString);
    Stream<String> fields =
        Arrays.stream(type.getDeclaredFields()).filter(f -> seen(f)).map(Field::toGenericString);
    Stream<String> parents =
        Stream.concat(Stream.of(type.getSuperclass()), Arrays.stream(type.getInterfaces())).map(String::valueOf);
    return Stream.of(methods, constructors, fields, parents).flatMap(s -> s).collect(Collectors.toList());
  }

  private static boolean seen(java.lang.reflect.Member member) {
    return Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers());
  }

  @ParameterizedTest
  @ValueSource(classes = {HeadraceClient.class, HeadraceServer.class})
  void nothingOfGrpcOrGuavaIsInASignature(Class<?> of) throws Exception {
    List<Class<?>> classes = publicClasses(of);
    assertTrue(classes.contains(of), "the classes were not found");
    List<String> shown =
        classes.stream()
            .flatMap(type -> signatures(type).stream())
            .filter(signature -> HIDDEN.stream().anyMatch(signature::contains))
            .collect(Collectors.toList());
    assertEquals(List.of(), shown);
  }

  @ParameterizedTest
  @ValueSource(classes = {HeadraceClient.class, HeadraceServer.class})
  void nothingIsNullUnlessItSaysSo(Class<?> of) {
    assertTrue(of.getPackage().isAnnotationPresent(NullMarked.class));
  }
}
